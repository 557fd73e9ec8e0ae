import cluster from 'node:cluster'
import type { Server } from 'node:http'
import { type Context, openContext } from '../core/context.ts'
import { createSetupLink } from '../features/account/setup/set-up.ts'
import { createSigningKeys } from '../features/tokens/signing-keys.ts'
import type { Config } from '../platform/config/config.ts'
import { findEncryptionProblem } from '../platform/config/postgres-url.ts'
import type { Runtime } from '../platform/context.ts'
import { findSecretFileProblem } from '../platform/crypto/secret-file.ts'
import { findConnectionProblem } from '../platform/database/postgres-checks.ts'
import { findFreePort } from '../platform/http/listen.ts'
import type { Command } from './command.ts'
import { openMigrated } from './prepare.ts'
import { serve } from './serve.ts'
import { runWorkers, sendHeartbeats, WORKER_WAITS, type WorkerWaits } from './workers.ts'

interface Waits extends WorkerWaits {
  /** The time for open requests at a stop. The process must also end when a client never completes its request. */
  graceMilliseconds: number
}

export const WAITS: Waits = { ...WORKER_WAITS, graceMilliseconds: 10_000 }

export const startCommand: Command = {
  summary: 'Migrate the database and serve (this is what npm start does)',
  help: `Usage: npm run accounts -- start

Brings the database up to date, then serves on PORT. While there is no administrator it prints a one-time link to make
the first one. SIGTERM, SIGINT and SIGHUP finish what is in flight, then exit.
WORKERS is the number of processes that share the port.`,
  run(config, runtime) {
    logCrash(runtime)
    return start(config, runtime)
  },
}

/** Node prints the error of a crash in words, which no alert on the log would see. */
function logCrash({ log }: Runtime): void {
  process.on('uncaughtExceptionMonitor', (error) => log.error({ err: error }, 'the process ends by an error'))
}

export async function start(given: Config, runtime: Runtime, waits = WAITS): Promise<void> {
  if (cluster.isWorker) return serveAsWorker(given, runtime, waits)
  const config = await prepareOnce(given, runtime)
  await (config.workerCount > 1
    ? superviseWorkers(config, runtime, waits)
    : serve(config, runtime, waits.graceMilliseconds, () => printSetupLink(config, runtime)))
}

/** Runs once for all processes. @returns the configuration with SECRET, which the first start creates */
async function prepareOnce(config: Config, runtime: Runtime): Promise<Config> {
  const { context, close } = await openMigrated(config, runtime)
  try {
    await createSigningKeys(context).ensure()
    warnAboutSecretFile(context)
    await warnAboutConnections(context)
    console.log(`Accounts is starting on ${config.baseUrl}`)
    return context.config
  } finally {
    await close()
  }
}

function warnAboutSecretFile({ config: { database }, log }: Context): void {
  const problem = database.engine === 'sqlite' ? findSecretFileProblem(database.path) : undefined
  if (problem !== undefined) log.warn(problem)
}

/** @throws ReadOnlyServer, because a service can't use a standby that a command may use */
async function warnAboutConnections({ config: { database, workerCount }, log }: Context): Promise<void> {
  if (database.engine !== 'postgres') return
  const connectionProblem = await findConnectionProblem(database.url, workerCount, false)
  for (const problem of [findEncryptionProblem(database.url, process.env), connectionProblem])
    if (problem !== undefined) log.warn(problem)
}

/**
 * Runs after the ports are bound, or found free: a failed start must leave no further valid link. It waits for a slow
 * database as long as a command does: the limits of requests would end the start.
 */
async function printSetupLink(config: Config, runtime: Runtime): Promise<void> {
  const { context, close } = openContext(config, runtime)
  const setupLink = await createSetupLink(context).finally(close)
  if (setupLink)
    console.log(`There is no administrator yet. Make the first one here (one use, 24 hours):\n  ${setupLink}`)
}

async function superviseWorkers(config: Config, runtime: Runtime, waits: Waits): Promise<void> {
  const { workerCount, metricsPort, host, port } = config
  // A taken port must end the start here, because the workers bind it later.
  await findFreePort(host, port)
  const metrics = metricsPort === undefined ? undefined : await startWorkersMetrics(config, runtime, metricsPort)
  try {
    await printSetupLink(config, runtime)
    await runWorkers(workerCount, runtime, waits)
  } finally {
    metrics?.close()
    // With an incomplete request, the process would not end.
    metrics?.closeAllConnections()
  }
}

/** Disconnects after a failed start: with an open channel to the first process, this process would not end. */
async function serveAsWorker(config: Config, runtime: Runtime, waits: Waits): Promise<void> {
  sendHeartbeats(waits)
  try {
    await serve(config, runtime, waits.graceMilliseconds)
  } catch (error) {
    cluster.worker?.disconnect()
    throw error
  }
}

async function startWorkersMetrics(config: Config, { log }: Runtime, port: number): Promise<Server> {
  const { collectFromWorkers, serveMetrics } = await import('../platform/http/metrics.ts')
  return serveMetrics(collectFromWorkers(), { config, log }, port)
}
