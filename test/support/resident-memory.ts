import { readFileSync } from 'node:fs'

/** Undefined without /proc. */
export function residentMebibytes(processId: number): number | undefined {
  if (process.platform !== 'linux') return undefined
  const kibibytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${processId}/status`, 'utf8'))?.[1]
  return Number(kibibytes) / 1024
}
