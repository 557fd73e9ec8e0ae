import os from 'node:os'
import { parentPort } from 'node:worker_threads'
import { hashSync, verifySync } from '@node-rs/argon2'
import { ARGON2_PARAMETERS, type PasswordJob } from './passwords.ts'
import { isScryptHash, verifyScrypt } from './scrypt-hash.ts'

// Linux lowers the priority of this thread only, so that session checks on the main thread go first.
os.setPriority(0, os.constants.priority.PRIORITY_LOW)

parentPort?.on('message', (job: PasswordJob) => {
  try {
    parentPort?.postMessage({ value: work(job) })
  } catch (error) {
    parentPort?.postMessage({ error })
  }
})

function work(job: PasswordJob): string | boolean {
  if (job.kind === 'hash') return hashSync(job.password, ARGON2_PARAMETERS)
  const { passwordHash, password } = job
  return isScryptHash(passwordHash) ? verifyScrypt(passwordHash, password) : verifySync(passwordHash, password)
}
