import cluster from 'node:cluster'
import type { Server } from 'node:http'
import { buildApp } from '../app.ts'
import { createChainer } from '../core/audit/chain.ts'
import { type Context, type OpenContext, openContext } from '../core/context.ts'
import { createSetupLink } from '../features/account/setup/set-up.ts'
import { createLogOutDelivery } from '../features/openid/log-outs/delivery.ts'
import { logOutGauges } from '../features/openid/log-outs/gauges.ts'
import { createBanExpiry } from '../features/staff/bans/lift-expired-bans.ts'
import { createSigningKeys } from '../features/tokens/signing-keys.ts'
import { createMaintenance } from '../maintenance.ts'
import type { PeriodicWork } from '../platform/background/run-periodically.ts'
import type { Config } from '../platform/config/config.ts'
import { parseSmtpUrl } from '../platform/config/smtp-server.ts'
import type { Runtime } from '../platform/context.ts'
import { createGuardedFetch } from '../platform/http/guarded-fetch.ts'
import { assertPortFree, listen } from '../platform/http/listen.ts'
import type { App } from '../platform/http/typed-app.ts'
import type { Delivery } from '../platform/mail/delivery.ts'
import type { Command } from './command.ts'
import { openMigrated } from './prepare.ts'
import { runWorkers, sendHeartbeats, WORKER_WAITS, type WorkerWaits } from './workers.ts'

interface Waits extends WorkerWaits {
  /** For requests in flight at a stop. A request that is never sent to its end must not keep the process alive. */
  graceMilliseconds: number
}

export const WAITS: Waits = { ...WORKER_WAITS, graceMilliseconds: 10_000 }

export const startCommand: Command = {
  summary: 'Migrate the database and serve (this is what npm start does)',
  help: `Usage: npm run accounts -- start

Brings the database up to date, then serves on PORT. While there is no administrator it prints a one-time link to make
the first one. SIGTERM and SIGINT finish what is in flight, then exit.
WORKERS is the number of processes that share the port.`,
  run: (config, runtime) => start(config, runtime),
}

/** Serves until a signal stops the process. */
export async function start(given: Config, runtime: Runtime, waits = WAITS): Promise<void> {
  if (cluster.isWorker) return serveAsWorker(given, runtime, waits)
  const config = await prepareOnce(given, runtime)
  await (config.workerCount > 1
    ? superviseWorkers(config, runtime, waits)
    : serve(config, runtime, waits, () => printSetupLink(config, runtime)))
}

/** Runs once for all processes. @returns the configuration with SECRET, which the first start creates */
async function prepareOnce(config: Config, runtime: Runtime): Promise<Config> {
  const { context, close } = await openMigrated(config, runtime)
  try {
    await createSigningKeys(context).ensure()
    console.log(`Accounts is starting on ${config.baseUrl}`)
    return context.config
  } finally {
    await close()
  }
}

/**
 * Runs after the port is bound, because a link of a failed start would be of no use. It waits for a slow database as long as
 * a command does: the limits of requests would end the start.
 */
async function printSetupLink(config: Config, runtime: Runtime): Promise<void> {
  const { context, close } = openContext(config, runtime)
  const setupLink = await createSetupLink(context).finally(close)
  if (setupLink)
    console.log(`There is no administrator yet. Make the first one here (one use, 24 hours):\n  ${setupLink}`)
}

async function superviseWorkers(config: Config, runtime: Runtime, waits: Waits): Promise<void> {
  const { workerCount, metricsPort, host, port } = config
  await assertPortFree(host, port)
  await printSetupLink(config, runtime)
  const metrics = metricsPort === undefined ? undefined : await startWorkersMetrics(host, metricsPort)
  try {
    await runWorkers(workerCount, runtime, waits)
  } finally {
    metrics?.close()
  }
}

/** Disconnects after a failed start, because the channel to the first process keeps this process alive. */
async function serveAsWorker(config: Config, runtime: Runtime, waits: Waits): Promise<void> {
  sendHeartbeats(waits)
  try {
    await serve(config, runtime, waits)
  } catch (error) {
    cluster.worker?.disconnect()
    throw error
  }
}

/** What a stop and a failed start close. */
interface Parts {
  opened: OpenContext
  app?: App
  metrics?: Server | undefined
  /** Only while it runs: its stop writes to the database. */
  work?: PeriodicWork
}

async function serve(
  config: Config,
  runtime: Runtime,
  { graceMilliseconds }: Waits,
  onListening: () => Promise<void> = async () => {},
): Promise<void> {
  const opened = openContext(config, runtime, 'service')
  const parts: Parts = { opened }
  let isStopping = false
  try {
    parts.app = await buildApp(opened)
    parts.metrics = await startMetrics(parts.app, opened.background)
    const work = await createWork(opened.background)
    const listening = listen(parts.app, config.host, config.port)
    onStopSignal(runtime, async (signal) => {
      // With npm, Ctrl+C sends two signals: from the terminal and from npm.
      if (isStopping) return
      isStopping = true
      runtime.log.info({ signal }, 'stopping')
      // A port that is bound after the close would stay open.
      await listening.catch(() => {})
      await closeParts(parts, graceMilliseconds)
      // The channel to the first process keeps this one alive.
      process.disconnect?.()
    })
    await listening
    await onListening()
    if (isStopping) return
    parts.work = work
    work.start()
    const mailbox = config.smtpUrl === undefined ? ` (emails are shown at ${config.baseUrl}/dev/mailbox)` : ''
    console.log(`Accounts is ready at ${config.baseUrl}${mailbox}`)
  } catch (error) {
    if (isStopping) return
    isStopping = true
    await closeParts(parts, graceMilliseconds)
    throw error
  }
}

async function closeParts({ opened, app, metrics, work }: Parts, graceMilliseconds: number): Promise<void> {
  const grace = setTimeout(() => app?.server.closeAllConnections(), graceMilliseconds)
  await app?.close()
  clearTimeout(grace)
  metrics?.close()
  await work?.stop()
  await opened.close()
}

/** Exits after a failed stop, because what is still open would keep the process alive. */
function onStopSignal({ log }: Runtime, stop: (signal: string) => Promise<void>): void {
  const exit = (error: unknown) => {
    log.error({ err: error }, 'the stop failed')
    process.exit(1)
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop(signal).catch(exit))
}

async function createWork(background: Context): Promise<PeriodicWork> {
  const delivery = await openDelivery(background)
  const logOutDelivery = createLogOutDelivery(background, {
    signingKeys: createSigningKeys(background),
    fetch: createGuardedFetch(background.config),
  })
  const chainer = createChainer(background)
  const maintenance = createMaintenance(background)
  const banExpiry = createBanExpiry(background)
  return {
    start() {
      delivery?.start()
      for (const work of [logOutDelivery, chainer, maintenance, banExpiry]) work.start()
    },
    /** The chainer is the last, because it links the audit events of the others. */
    async stop() {
      await Promise.all([delivery?.stop(), logOutDelivery.stop()])
      await maintenance.stop()
      await banExpiry.stop()
      await chainer.stop()
    },
  }
}

/** Imported at use, because most processes need neither metrics nor mail. */
async function startMetrics(app: App, context: Context): Promise<Server | undefined> {
  const { metricsPort, host } = context.config
  if (metricsPort === undefined) return undefined
  const { exposeToPrimary, measureRequests, serveMetrics } = await import('../platform/http/metrics.ts')
  const registry = measureRequests(app, context.totals, logOutGauges(context))
  if (cluster.isWorker) exposeToPrimary(registry)
  else return serveMetrics(() => registry.metrics(), host, metricsPort)
}

async function startWorkersMetrics(host: string, port: number): Promise<Server> {
  const { collectFromWorkers, serveMetrics } = await import('../platform/http/metrics.ts')
  return serveMetrics(collectFromWorkers(), host, port)
}

async function openDelivery(context: Context): Promise<Delivery | undefined> {
  if (context.config.smtpUrl === undefined) return undefined
  const { createDelivery } = await import('../platform/mail/delivery.ts')
  return createDelivery(context, parseSmtpUrl(context.config.smtpUrl))
}
