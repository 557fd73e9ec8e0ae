import cluster from 'node:cluster'
import type { Server } from 'node:http'
import { buildApp } from '../app.ts'
import { createChainer } from '../core/audit/chain.ts'
import { type Context, type OpenContext, openContext } from '../core/context.ts'
import { createLogOutDelivery } from '../features/openid/log-outs/delivery.ts'
import { logOutGauges } from '../features/openid/log-outs/gauges.ts'
import { createBanExpiry } from '../features/staff/bans/lift-expired-bans.ts'
import { createSigningKeys } from '../features/tokens/signing-keys.ts'
import { createMaintenance } from '../maintenance.ts'
import type { PeriodicWork } from '../platform/background/run-periodically.ts'
import type { Config } from '../platform/config/config.ts'
import { findSmtpServer } from '../platform/config/smtp-server.ts'
import type { Runtime } from '../platform/context.ts'
import { createGuardedFetch } from '../platform/http/guarded-fetch.ts'
import type { HttpApp } from '../platform/http/http-app.ts'
import { listen } from '../platform/http/listen.ts'
import type { Delivery } from '../platform/mail/delivery.ts'
import { STOP_SIGNALS } from './stop-signals.ts'

interface Parts {
  opened: OpenContext
  app?: HttpApp
  metrics?: Server | undefined
  /** Set only while the work runs, because stopping it writes to the database. */
  work?: PeriodicWork
}

/** Returns when the service is ready. @param onListening runs after the port is bound, before periodic work starts */
export async function serve(
  config: Config,
  runtime: Runtime,
  graceMilliseconds: number,
  onListening: () => Promise<void> = async () => {},
): Promise<void> {
  const opened = openContext(config, runtime, 'service')
  const parts: Parts = { opened }
  let isStopping = false
  try {
    parts.app = await buildApp(opened)
    parts.metrics = await startMetrics(parts.app, opened.background)
    const work = await createWork(opened.background)
    freeMemoryOfStart()
    const listening = listen(parts.app, config.host, config.port)
    onStopSignal(runtime, async (signal) => {
      // With npm, Ctrl+C sends two signals: from the terminal and from npm.
      if (isStopping) return
      isStopping = true
      runtime.log.info({ signal }, 'stopping')
      // A port that is bound after the close would stay open.
      await listening.catch(() => {})
      await closeParts(parts, graceMilliseconds)
      // A setup link that waits for a database, or a check of the mail server, can keep the process alive.
      setTimeout(() => process.exit(), graceMilliseconds).unref()
      // With an open channel to the first process, this process would not end.
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

/** Without this, V8 would keep the garbage of the start, a fifth of the memory. npm start passes `--expose-gc`. */
function freeMemoryOfStart(): void {
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

/** Metrics are imported at use, because most processes need none. */
async function startMetrics(app: HttpApp, context: Context): Promise<Server | undefined> {
  const { metricsPort } = context.config
  if (metricsPort === undefined) return undefined
  const { exposeToFirstProcess, measureRequests, serveMetrics } = await import('../platform/http/metrics.ts')
  const registry = measureRequests(app, context.totals, logOutGauges(context))
  if (cluster.isWorker) exposeToFirstProcess(registry)
  else return serveMetrics(() => registry.metrics(), context, metricsPort)
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

async function openDelivery(context: Context): Promise<Delivery | undefined> {
  const server = findSmtpServer(context.config)
  if (server === undefined) return undefined
  const { createDelivery } = await import('../platform/mail/delivery.ts')
  return createDelivery(context, server)
}

/** Exits after a failed stop, because the process would not end while something is still open. */
function onStopSignal({ log }: Runtime, stop: (signal: string) => Promise<void>): void {
  const exit = (error: unknown) => {
    log.error({ err: error }, 'the stop failed')
    process.exit(1)
  }
  for (const signal of STOP_SIGNALS) process.on(signal, () => stop(signal).catch(exit))
}

async function closeParts({ opened, app, metrics, work }: Parts, graceMilliseconds: number): Promise<void> {
  const grace = setTimeout(() => app?.server.closeAllConnections(), graceMilliseconds)
  await app?.close()
  clearTimeout(grace)
  metrics?.close()
  // With an incomplete request, the process would not end.
  metrics?.closeAllConnections()
  await work?.stop()
  await opened.close()
}
