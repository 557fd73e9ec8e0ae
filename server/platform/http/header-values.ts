import type { FastifyRequest } from 'fastify'

/**
 * Every value of a header, as it was sent. `request.headers` has the first one alone of `authorization` and `host`, and
 * joins those of most others.
 */
export function headerValues({ raw: { rawHeaders } }: FastifyRequest, name: string): string[] {
  const values: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const sent = rawHeaders[index] ?? ''
    if (sent.length === name.length && sent.toLowerCase() === name) values.push(rawHeaders[index + 1] ?? '')
  }
  return values
}
