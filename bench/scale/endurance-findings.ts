import { formatNumber } from '../bench.ts'
import type { Finding } from '../finding.ts'
import type { DatabaseSample } from './database-sample.ts'

export interface Endurance {
  /** After the warm-up. */
  samples: Sample[]
  /** The messages of refused requests. */
  refusals: string[]
}

/** The measures that must not grow, apart from the rows that users add. */
export interface Sample extends DatabaseSample {
  residentMebibytes: number
  /** After the last collection of garbage. */
  heapMebibytes: number
  openFiles: number
  handles: number
  eventLoopDelayMilliseconds: number
  requests: number
}

/** The most that each may grow after the warm-up, as a factor. A delay depends on other work of the machine too. */
const GROWTH_MAXIMUM = {
  residentMebibytes: 1.1,
  heapMebibytes: 1.1,
  openFiles: 1.1,
  handles: 1.1,
  eventLoopDelayMilliseconds: 2,
  connections: 1.1,
  walMebibytes: 1.1,
  bytesPerRow: 1.1,
} satisfies Partial<Record<keyof Sample, number>>
/** PostgreSQL vacuums a table of which a fifth is dead. */
const UNUSED_SHARE_MAXIMUM = 0.2

/** Compares the first quarter with the last one. */
export function toFindings(engine: string, { samples, refusals }: Endurance): Finding[] {
  const quarter = Math.max(1, Math.floor(samples.length / 4))
  const early = samples.slice(0, quarter)
  const late = samples.slice(-quarter)
  const requests = formatNumber(samples.at(-1)?.requests ?? 0)
  const grown = listCompared(engine).map((name): Finding => {
    const [before, after] = [meanOf(early, name), meanOf(late, name)]
    return {
      what: `endurance on ${engine}, ${name}, after ${requests} requests`,
      ours: formatNumber(after),
      against: `after the warm-up: ${formatNumber(before)}`,
      value: after / before,
      unit: '×',
      bar: { atMost: GROWTH_MAXIMUM[name] },
    }
  })
  return [...grown, toUnusedFinding(engine, early, late), toRefusalFinding(engine, refusals)]
}

/** PostgreSQL lets its WAL grow to max_wal_size before it writes a checkpoint. */
function listCompared(engine: string): (keyof typeof GROWTH_MAXIMUM)[] {
  const compared = Object.keys(GROWTH_MAXIMUM) as (keyof typeof GROWTH_MAXIMUM)[]
  return engine === 'sqlite' ? compared : compared.filter((name) => name !== 'walMebibytes')
}

function toRefusalFinding(engine: string, refusals: string[]): Finding {
  return {
    what: `endurance on ${engine}, requests that were refused`,
    ours: refusals[0] ?? 'none',
    against: '',
    value: refusals.length,
    unit: 'errors',
    bar: { atMost: 0 },
  }
}

function toUnusedFinding(engine: string, early: Sample[], late: Sample[]): Finding {
  const share = meanOf(late, 'unusedShare')
  return {
    what: `endurance on ${engine}, ${engine === 'sqlite' ? 'free pages of all pages' : 'dead rows of all rows'}`,
    ours: formatNumber(share),
    against: `after the warm-up: ${formatNumber(meanOf(early, 'unusedShare'))}`,
    value: share,
    unit: '×',
    bar: { atMost: UNUSED_SHARE_MAXIMUM },
  }
}

function meanOf(samples: Sample[], name: keyof Sample): number {
  return samples.reduce((sum, sample) => sum + sample[name], 0) / samples.length
}
