import { readFileSync } from 'node:fs'

/** Linux reports CPU time in hundredths of a second, independent of the tick of the kernel. */
const MILLISECONDS_PER_TICK = 10
/** Indexes in /proc/<pid>/stat after the name, which is in parentheses and may contain spaces (proc_pid_stat(5)). */
const USER_TICKS = 11
const SYSTEM_TICKS = 12

/** The CPU time of a process and its workers, with all their threads, or 0 without /proc. */
export function cpuMilliseconds(processId: number | undefined): number {
  if (processId === undefined || process.platform !== 'linux') return 0
  return [processId, ...workersOf(processId)].reduce((sum, id) => sum + ownCpuMilliseconds(id), 0)
}

/** @returns the ids of the child processes; needs /proc */
export function workersOf(processId: number): number[] {
  const children = readFileSync(`/proc/${processId}/task/${processId}/children`, 'utf8')
  return children.split(' ').filter(Boolean).map(Number)
}

function ownCpuMilliseconds(processId: number): number {
  const stat = readFileSync(`/proc/${processId}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[USER_TICKS]) + Number(fields[SYSTEM_TICKS])) * MILLISECONDS_PER_TICK
}
