import { readlinkSync, rmSync, symlinkSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

const patienceInMilliseconds = 15 * 60_000
const pauseInMilliseconds = 200

function isRunning(processId) {
  try {
    process.kill(processId, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/** A symbolic link is created together with its content, so nobody ever sees a lock without its holder's process id. */
function take(path) {
  try {
    symlinkSync(String(process.pid), path)
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    return false
  }
}

function holderOf(path) {
  try {
    return Number(readlinkSync(path))
  } catch {
    return undefined
  }
}

/** Runs the task while no other process does the same. What a process that died left behind is taken over. */
export async function underLock(path, task) {
  const giveUpAt = Date.now() + patienceInMilliseconds
  while (!take(path)) {
    const holder = holderOf(path)
    if (holder !== undefined && !isRunning(holder)) rmSync(path, { force: true })
    else if (Date.now() > giveUpAt)
      throw new Error(`Process ${holder} holds ${path}. If it is not ours, remove the file.`)
    else await pause(pauseInMilliseconds)
  }
  try {
    return await task()
  } finally {
    rmSync(path, { force: true })
  }
}
