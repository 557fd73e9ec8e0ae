import type { FastifyInstance } from 'fastify'
import { ApiError } from './errors.ts'

/** JSON can contain the characters that `isStorableText` refuses only as escape sequences of this form. */
const ESCAPED = /\\u(?:0000|d[89a-f])/i

/** PostgreSQL can't store NUL of a path or a query. The body parser checks JSON, and `pass-to-provider.ts` forms. */
export function refuseUnstorableText(app: FastifyInstance): void {
  app.addHook('preValidation', (request, _reply, done) => {
    if (!request.url.includes('%00')) return done()
    const query = request.routeOptions.schema?.querystring === undefined ? undefined : request.query
    done(findUnstorable(request.params) ?? findUnstorable(query))
  })
}

export function findUnstorableInBody(json: string, body: unknown): ApiError | undefined {
  return ESCAPED.test(json) ? findUnstorable(body) : undefined
}

/** Not recursive, because 64 KiB of JSON can be nested deeper than the stack. */
function findUnstorable(value: unknown): ApiError | undefined {
  const rest: { path: string; value: unknown }[] = [{ path: '', value }]
  for (let next = rest.pop(); next; next = rest.pop()) {
    const { path } = next
    if (typeof next.value === 'string' && !isStorableText(next.value)) return refusal(path)
    if (typeof next.value !== 'object' || next.value === null) continue
    for (const [name, inner] of Object.entries(next.value)) {
      if (!isStorableText(name)) return refusal(path)
      rest.push({ path: path === '' ? name : `${path}.${name}`, value: inner })
    }
  }
  return undefined
}

function isStorableText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

function refusal(field: string): ApiError {
  const message = 'Text must not contain the character NUL, or half of a surrogate pair.'
  return new ApiError('VALIDATION_ERROR', field === '' ? { message } : { field, message: `${field}: ${message}` })
}
