import { readFileSync, readlinkSync, rmSync, symlinkSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

const timeoutInMilliseconds = 15 * 60_000
const pauseInMilliseconds = 200
/** The position of starttime after the name of the program (proc_pid_stat(5)). */
const START_TIME = 19

/** Process ids repeat in a container that is started again, start times do not. Undefined outside of Linux. */
function findStartTime(processId) {
  try {
    const line = readFileSync(`/proc/${processId}/stat`, 'utf8')
    // The name of the program is in parentheses, and may contain spaces.
    return line.slice(line.lastIndexOf(')') + 2).split(' ')[START_TIME]
  } catch {
    return undefined
  }
}

function isRunning({ processId, startTime }) {
  // This process has no lock yet, so an earlier one with its id has ended.
  if (processId === process.pid) return false
  try {
    process.kill(processId, 0)
  } catch (error) {
    if (error.code !== 'EPERM') return false
  }
  const found = findStartTime(processId)
  return !startTime || found === undefined || found === startTime
}

/** A symbolic link is created together with its target, so a lock always contains the id of its process. */
function acquire(path) {
  try {
    symlinkSync(`${process.pid}:${findStartTime(process.pid) ?? ''}`, path)
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    return false
  }
}

function findHolder(path) {
  try {
    const [processId, startTime] = readlinkSync(path).split(':')
    return { processId: Number(processId), startTime }
  } catch {
    return undefined
  }
}

/**
 * Removes the lock of an ended process, under a lock of its own. Without it, of two processes that find the same ended one,
 * the second would remove the new lock of the first.
 */
function removeEnded(path) {
  const removal = `${path}-removal`
  if (acquire(removal)) {
    const holder = findHolder(path)
    if (holder && !isRunning(holder)) rmSync(path, { force: true })
    rmSync(removal, { force: true })
    return
  }
  // This removal has no lock. Only four processes that find the same killed remover could remove a lock in use.
  const remover = findHolder(removal)
  if (remover && !isRunning(remover)) rmSync(removal, { force: true })
}

async function waitForLock(path, print) {
  const giveUpAt = Date.now() + timeoutInMilliseconds
  let isWaiting = false
  while (!acquire(path)) {
    const holder = findHolder(path)
    const isHeld = holder && isRunning(holder)
    if (holder && !isHeld) removeEnded(path)
    if (Date.now() > giveUpAt)
      throw new Error(
        `Process ${holder?.processId} holds the lock ${path}. If this is not an installation of Accounts, remove the file.`,
      )
    if (isHeld && !isWaiting) {
      print(`Waiting for process ${holder.processId}, which installs packages or builds the pages …`)
      isWaiting = true
    }
    await pause(pauseInMilliseconds)
  }
}

/** Runs a task while no other process runs it. @param print gets a line when waiting begins */
export async function withLock(path, task, print) {
  await waitForLock(path, print)
  try {
    return await task()
  } finally {
    rmSync(path, { force: true })
  }
}
