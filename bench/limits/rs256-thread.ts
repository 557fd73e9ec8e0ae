import { parentPort, workerData } from 'node:worker_threads'
import { generateKeyPair, SignJWT } from 'jose'
import { numbers } from '../population.ts'

/** More than the threads of the thread pool, so that no thread waits for the next signature. */
const UNDER_WAY = 16

const { durationMilliseconds } = workerData as { durationMilliseconds: number }
const { privateKey } = await generateKeyPair('RS256', { modulusLength: 2048 })

const start = performance.now()
let count = 0

async function sign(): Promise<void> {
  while (performance.now() - start < durationMilliseconds) {
    await new SignJWT({ email: 'user@example.com' }).setProtectedHeader({ alg: 'RS256' }).sign(privateKey)
    count += 1
  }
}

await Promise.all(numbers(UNDER_WAY).map(sign))
parentPort?.postMessage((count * 1000) / (performance.now() - start))
