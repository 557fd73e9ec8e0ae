import type { FastifyReply } from 'fastify'
import { isRefusal } from './errors.ts'

/**
 * Adds `?error=CODE` to a URL of `parseCallbackUrl` if the work was refused.
 * @throws other errors, and every error without a URL
 */
export async function runAndRedirect<T>(
  reply: FastifyReply,
  baseUrl: string,
  callbackUrl: string | undefined,
  work: () => Promise<T>,
): Promise<T | FastifyReply> {
  if (callbackUrl === undefined) return work()
  const target = new URL(callbackUrl, baseUrl)
  try {
    await work()
  } catch (error) {
    if (!isRefusal(error)) throw error
    target.searchParams.set('error', error.code)
  }
  return reply.redirect(target.href)
}
