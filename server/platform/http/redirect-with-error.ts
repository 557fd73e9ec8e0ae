import type { FastifyReply } from 'fastify'
import { isRefusal } from './errors.ts'

/**
 * Sends a browser on to where it wanted to go, with `?error=CODE` when what it came for failed.
 * @param callbackUrl as `parseCallbackUrl` returned it; without one the caller answers itself
 * @throws whatever `work` throws, when there is nowhere to go or when it is no refusal of ours
 */
export async function orRedirect<T>(
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
