import { readlinkSync, rmSync, symlinkSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

const timeoutInMilliseconds = 15 * 60_000
const pauseInMilliseconds = 200

function isRunning(processId) {
  try {
    process.kill(processId, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/** A symbolic link is created together with its target, so a lock always contains the id of its process. */
function acquire(path) {
  try {
    symlinkSync(String(process.pid), path)
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    return false
  }
}

function findProcessId(path) {
  try {
    return Number(readlinkSync(path))
  } catch {
    return undefined
  }
}

/** Runs a task while no other process runs it. The lock of an ended process is removed. */
export async function withLock(path, task) {
  const giveUpAt = Date.now() + timeoutInMilliseconds
  while (!acquire(path)) {
    const processId = findProcessId(path)
    if (processId !== undefined && !isRunning(processId)) rmSync(path, { force: true })
    else if (Date.now() > giveUpAt)
      throw new Error(
        `Process ${processId} holds the lock ${path}. If this is not an installation of Accounts, remove the file.`,
      )
    else await pause(pauseInMilliseconds)
  }
  try {
    return await task()
  } finally {
    rmSync(path, { force: true })
  }
}
