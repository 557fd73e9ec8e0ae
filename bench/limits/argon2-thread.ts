import { parentPort, workerData } from 'node:worker_threads'
import { hashSync, verifySync } from '@node-rs/argon2'
import { ARGON2_PARAMETERS } from '../../server/platform/crypto/passwords.ts'

const { password, durationMilliseconds } = workerData as { password: string; durationMilliseconds: number }
const passwordHash = hashSync(password, ARGON2_PARAMETERS)

const start = performance.now()
let count = 0
while (performance.now() - start < durationMilliseconds) {
  if (!verifySync(passwordHash, password)) throw new Error('The right password was refused')
  count += 1
}
parentPort?.postMessage((count * 1000) / (performance.now() - start))
