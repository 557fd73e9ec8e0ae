import { readFileSync } from 'node:fs'

/** Linux counts CPU time for user space in hundredths of a second, whatever the kernel's own tick is. */
const MILLISECONDS_PER_TICK = 10
/** Of /proc/<pid>/stat after the name, which is in parentheses and may hold spaces (proc_pid_stat(5)). */
const USER_TICKS = 11
const SYSTEM_TICKS = 12

/** The CPU time that a process and all its threads have used; 0 where there is no /proc. */
export function cpuMilliseconds(processId: number | undefined): number {
  if (processId === undefined || process.platform !== 'linux') return 0
  const stat = readFileSync(`/proc/${processId}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[USER_TICKS]) + Number(fields[SYSTEM_TICKS])) * MILLISECONDS_PER_TICK
}
