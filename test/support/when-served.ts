import type { Answer } from './client.ts'

const ATTEMPTS_MAXIMUM = 10

/** Repeats a request that a busy machine has answered with 503, which changes nothing. */
export async function whenServed(request: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await request()
    if (answer.status !== 503 || attempt === ATTEMPTS_MAXIMUM) return answer
  }
}
