import type { FastifyRequest } from 'fastify'

/** `request.headers` has only the first `authorization` and `host`, and joins the values of most other headers. */
export function headerValues({ raw: { rawHeaders } }: FastifyRequest, name: string): string[] {
  const values: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const sent = rawHeaders[index] ?? ''
    if (sent.length === name.length && sent.toLowerCase() === name) values.push(rawHeaders[index + 1] ?? '')
  }
  return values
}
