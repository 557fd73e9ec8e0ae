import { randomUUID } from 'node:crypto'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Fastify, { type FastifyBaseLogger, LogController } from 'fastify'
import type { Config } from '../config/config.ts'
import { BODY_BYTES_MAXIMUM } from './bodies.ts'
import { compileAtFirstUse } from './compile-at-first-use.ts'
import type { HttpApp } from './http-app.ts'
import { closeIdleAtStop, createHttpServer, type Timeouts } from './http-server.ts'
import { createSocketRefusals } from './refuse-socket.ts'
import { type ErrorPage, refuseUnroutable } from './render-error.ts'
import { securityHeaders } from './security-headers.ts'

/** Far over the 16 KiB of a URL, so that a schema refuses a long parameter, and not the router. */
const PARAMETER_LENGTH_MAXIMUM = 65_536

export function createApp(config: Config, log: FastifyBaseLogger, errorPage: ErrorPage, timeouts?: Timeouts): HttpApp {
  const headers = securityHeaders(config)
  const refuseSocket = createSocketRefusals(headers, log)
  const app = Fastify({
    serverFactory: (listener) => createHttpServer(listener, refuseSocket, timeouts),
    // The HTTP server answers malformed requests itself.
    clientErrorHandler: () => {},
    frameworkErrors: refuseUnroutable(headers, errorPage),
    routerOptions: { maxParamLength: PARAMETER_LENGTH_MAXIMUM },
    loggerInstance: log,
    // A child logger for each request costs more than its log lines, which contain the request id themselves.
    childLoggerFactory: (logger) => logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    trustProxy: (_address, hop) => hop < config.trustedProxyCount,
    bodyLimit: BODY_BYTES_MAXIMUM,
    // Fastify would answer 503 in its own form during a stop. The database is open until every request is answered.
    return503OnClosing: false,
  }).withTypeProvider<TypeBoxTypeProvider>()
  compileAtFirstUse(app)
  closeIdleAtStop(app)
  return app
}
