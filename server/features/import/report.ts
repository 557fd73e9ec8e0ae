const COUNTED = [
  'users',
  'passwords',
  'passkeys',
  'organizations',
  'memberships',
  'invitations',
  'API keys',
  'users that are here already',
  'organizations that are here already',
] as const

/** A part of the source that is not imported, or imported with a change. It never contains a secret. */
export interface Finding {
  kind: 'user' | 'passkey' | 'organization' | 'member' | 'invitation' | 'API key' | 'table'
  id: string
  problem: string
}

export interface ImportReport {
  counts: Record<(typeof COUNTED)[number], number>
  findings: Finding[]
}

export function createReport(): ImportReport {
  return { counts: Object.fromEntries(COUNTED.map((name) => [name, 0])) as ImportReport['counts'], findings: [] }
}

/** One by one: an organization may have more findings than a call can have arguments. */
export function addFindings({ findings }: ImportReport, added: Finding[]): void {
  for (const finding of added) findings.push(finding)
}

/** The texts may be from the source: control characters in them must not move the cursor or begin a line. */
export function toFinding(kind: Finding['kind'], id: string, problem: string): Finding {
  return { kind, id: toLine(id), problem: toLine(problem) }
}

const TEXT_LENGTH_MAXIMUM = 300

function toLine(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').slice(0, TEXT_LENGTH_MAXIMUM)
}

const IDS_PER_PROBLEM = 10

export function describeReport({ counts, findings }: ImportReport): string {
  const lines = Object.entries(counts).map(([name, count]) => `  ${name}: ${count}`)
  const problems = Map.groupBy(findings, ({ kind, problem }) => `${kind}: ${problem}`)
  const listed = [...problems].map(([problem, found]) => {
    const ids = found.slice(0, IDS_PER_PROBLEM).map(({ id }) => id)
    const more = found.length > ids.length ? ` and ${found.length - ids.length} more` : ''
    return `  ${problem} (${found.length})\n    ${ids.join(', ')}${more}`
  })
  const title = listed.length > 0 ? 'Not imported, or imported with changes:' : 'Nothing is left out or changed.'
  return [...lines, title, ...listed].join('\n')
}

export function formatFindings({ findings }: ImportReport): string {
  return ['kind\tid\tproblem', ...findings.map(({ kind, id, problem }) => `${kind}\t${id}\t${problem}`), ''].join('\n')
}
