import type { FastifyRequest } from 'fastify'
import { decodeUtf8 } from '../decode-utf8.ts'
import { ApiError } from './errors.ts'
import type { HttpApp } from './http-app.ts'
import { findUnstorableInBody } from './storable-text.ts'

export const BODY_BYTES_MAXIMUM = 65_536

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the body may be a form. The handler gets its text. */
    acceptsForms?: true
  }
}

const JSON_TYPE = /^application\/json\s*(;|$)/i
const FORM_TYPE = 'application/x-www-form-urlencoded'
const SEND_FORM = `Send the body as a form, with content-type: ${FORM_TYPE}.`
/** RFC 8259, section 8.1, for JSON; RFC 6749, appendix B, for the forms of OAuth clients. */
const NOT_UTF8 = 'The body is not encoded in UTF-8.'
const COMPRESSED = 'The body is compressed. Send it as it is, without content-encoding.'

/** An empty body counts as `{}`. */
export function acceptBodies(app: HttpApp): void {
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    const json = decodeUtf8(bytes as Buffer)
    if (json === '') return done(null, undefined)
    if (json === undefined) return done(new ApiError('INVALID_JSON', { message: whyUnreadable(request) }))
    parseJson(request, json, (error, body) => {
      done(error ?? findUnstorableInBody(json, body) ?? null, body)
    })
  })
  app.addContentTypeParser(FORM_TYPE, { parseAs: 'buffer' }, (request, bytes, done) => {
    if (!request.routeOptions.config.acceptsForms) return done(new ApiError('UNSUPPORTED_MEDIA_TYPE'))
    const form = decodeUtf8(bytes as Buffer)
    done(form === undefined ? new ApiError('VALIDATION_ERROR', { message: whyUnreadable(request) }) : null, form)
  })
  app.addContentTypeParser('*', (request, payload, done) => {
    if (request.is404) return done(null, undefined)
    const acceptEmpty = () => done(null, undefined)
    payload.once('end', acceptEmpty).once('error', done)
    payload.once('data', () => {
      payload.off('end', acceptEmpty).off('error', done)
      const isForForms = request.routeOptions.config.acceptsForms === true
      done(new ApiError('UNSUPPORTED_MEDIA_TYPE', isForForms ? { message: SEND_FORM } : {}))
    })
  })
  app.addHook('onRequest', ({ headers, routeOptions }, _reply, done) => {
    // With a type and without a length, Fastify would wait for the end of a body.
    const length = headers['content-length']
    const isEmpty = headers['transfer-encoding'] === undefined && (length === undefined || length === '0')
    // Fastify refuses a malformed type before it knows whether a chunked body is empty. The `*` parser above knows.
    const type = headers['content-type'] ?? ''
    const isForm = routeOptions.config.acceptsForms === true && type.toLowerCase().startsWith(FORM_TYPE)
    if (isEmpty || !(JSON_TYPE.test(type) || isForm)) delete headers['content-type']
    done()
  })
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.routeOptions.schema?.body !== undefined) request.body ??= {}
    done()
  })
}

function whyUnreadable({ headers }: FastifyRequest): string {
  return headers['content-encoding'] === undefined ? NOT_UTF8 : COMPRESSED
}
