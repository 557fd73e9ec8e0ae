import type { App } from './typed-app.ts'

export const BODY_BYTES_MAXIMUM = 65_536

/** Bodies are JSON and nothing else; where a route takes one, none at all counts as `{}`. */
export function acceptJson(app: App): void {
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') return done(null, undefined)
    parseJson(request, body as string, done)
  })
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.routeOptions.schema?.body !== undefined) request.body ??= {}
    done()
  })
}
