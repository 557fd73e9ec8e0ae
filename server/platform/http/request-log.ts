import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HttpApp } from './http-app.ts'

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/** The pattern of the route replaces the URL, which may contain a token. */
export function logRequests(app: HttpApp): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    logRequest(request, reply)
    done()
  })
}

export function describeRequest({ id, method, routeOptions }: FastifyRequest) {
  return { reqId: id, method, route: routeOptions.url ?? 'none' }
}

export function logRequest(request: FastifyRequest, reply: FastifyReply): void {
  const level = SAFE_METHODS.has(request.method) ? 'debug' : 'info'
  if (level === 'debug' && request.log.level !== 'debug') return
  const line = {
    ...describeRequest(request),
    status: reply.statusCode,
    durationMilliseconds: Math.round(reply.elapsedTime * 10) / 10,
  }
  request.log[level](line, 'request')
}
