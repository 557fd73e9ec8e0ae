import cluster, { type Worker } from 'node:cluster'
import { on } from 'node:events'
import type { Server } from 'node:http'
import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type MetricObject,
  Registry,
} from 'prom-client'
import { isLocal } from '../config/loopback.ts'
import type { PlatformContext } from '../context.ts'
import { TOTALS, type TotalName, type Totals } from '../totals.ts'
import type { HttpApp } from './http-app.ts'
import { createHttpServer } from './http-server.ts'
import { listenWithoutApp } from './listen.ts'

/** Read for each scrape. Every worker reads the same number. */
export interface GaugeDescription {
  name: string
  help: string
  read: () => Promise<number>
}

export function measureRequests(app: HttpApp, totals: Totals, gauges: GaugeDescription[]): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last byte of its response',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  })
  app.addHook('onResponse', (request, reply, done) => {
    const labels = { method: request.method, route: request.routeOptions.url ?? 'none', status: reply.statusCode }
    durations.observe(labels, reply.elapsedTime / 1000)
    done()
  })
  for (const name of Object.keys(TOTALS) as TotalName[]) showTotal(registry, totals, name)
  for (const gauge of gauges) showGauge(registry, gauge)
  return registry
}

function showTotal(registry: Registry, totals: Totals, name: TotalName): void {
  const { help, label: labelName } = TOTALS[name]
  new Counter({
    name,
    help,
    labelNames: [labelName],
    registers: [registry],
    collect() {
      this.reset()
      for (const [label, count] of totals.entries(name)) this.inc({ [labelName]: label }, count)
    },
  })
}

/** Without the database, the value of the gauge is not a number, so that the other metrics stay readable. */
function showGauge(registry: Registry, { name, help, read }: GaugeDescription): void {
  new Gauge({
    name,
    help,
    aggregator: 'max',
    registers: [registry],
    async collect() {
      this.set(await read().catch(() => Number.NaN))
    },
  })
}

const METRICS_WANTED = 'metrics'
/** Longer than gauges wait for a database, and shorter than the time after which a frozen worker is killed. */
const ANSWER_MILLISECONDS = 5_000

interface WorkerMetrics {
  metrics: MetricObject[]
}

export function exposeToFirstProcess(registry: Registry): void {
  process.on('message', async (message) => {
    if (message !== METRICS_WANTED) return
    const metrics = await registry.getMetricsAsJSON()
    // The process may have begun to stop.
    if (process.connected) process.send?.({ metrics } satisfies WorkerMetrics)
  })
}

/** Fails with a frozen worker: a sum without this worker would look like a restart of its counters. */
export function collectFromWorkers(): () => Promise<string> {
  const collected = new Map<Worker, MetricObject[]>()
  /** The counters of ended workers. Sums without them would fall, and look like a restart of all counters. */
  let ended: MetricObject[] = []
  cluster.on('listening', (worker) => collected.set(worker, collected.get(worker) ?? []))
  cluster.on('exit', (worker) => {
    const counters = (collected.get(worker) ?? []).filter(({ type }) => CUMULATIVE_TYPES.includes(String(type)))
    ended = AggregatorRegistry.aggregate([ended, counters]).getMetricsAsArray()
    collected.delete(worker)
  })
  const collectFrom = async (worker: Worker) => {
    const metrics = await askWorker(worker)
    if (metrics && collected.has(worker)) collected.set(worker, metrics)
  }
  return async () => {
    await Promise.all([...collected.keys()].map(collectFrom))
    return AggregatorRegistry.aggregate([ended, ...collected.values()]).metrics()
  }
}

const CUMULATIVE_TYPES = ['counter', 'histogram']

/** @returns undefined for a worker that ends @throws AbortError for a worker that does not answer in time */
async function askWorker(worker: Worker): Promise<MetricObject[] | undefined> {
  const messages = on(worker, 'message', { signal: AbortSignal.timeout(ANSWER_MILLISECONDS), close: ['exit'] })
  // A worker that is ending can't be asked. Without the callback, the error would close the channel.
  if (worker.isConnected()) worker.send(METRICS_WANTED, () => {})
  for await (const [message] of messages) if (isWorkerMetrics(message)) return message.metrics
  return undefined
}

function isWorkerMetrics(message: unknown): message is WorkerMetrics {
  return typeof message === 'object' && message !== null && 'metrics' in message
}

const MALFORMED = Buffer.from('HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n')

/** A separate port, which is not open to the clients of the service. @throws ListenError */
export async function serveMetrics(
  collect: () => Promise<string>,
  { config: { baseUrl, host }, log }: Pick<PlatformContext, 'config' | 'log'>,
  port: number,
): Promise<Server> {
  const server = createHttpServer(
    (request, response) => {
      // DNS rebinding, as in `checkHosts`. Elsewhere monitoring may use any name.
      if (isLocal(baseUrl) && !isLocalHost(request.headers.host)) return response.writeHead(421).end()
      if (request.url !== '/metrics') return response.writeHead(404).end()
      collect().then(
        (metrics) => response.writeHead(200, { 'content-type': Registry.PROMETHEUS_CONTENT_TYPE }).end(metrics),
        () => response.writeHead(503).end(),
      )
    },
    () => MALFORMED,
  )
  await listenWithoutApp(server, { host, port }, log)
  return server
}

function isLocalHost(host: string | undefined): boolean {
  const url = `http://${host}`
  return URL.canParse(url) && isLocal(url)
}
