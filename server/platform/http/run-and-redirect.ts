import type { FastifyReply } from 'fastify'
import { isRefusal } from './errors.ts'

/**
 * Redirects a browser to its callback URL, with `?error=CODE` if the work was refused.
 * @param callbackUrl from `parseCallbackUrl`; without it the result of `work` is returned
 * @throws the error of `work` without a callback URL, and an error that is no refusal
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
