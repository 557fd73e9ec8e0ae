/** Functions of other parts of the service, passed in because features do not import each other. */
export interface SystemParts {
  version: string
  /** Epoch milliseconds. */
  startedAt: number
  runChecks: () => Promise<SystemCheck[]>
  listSigningKeys: () => Promise<SigningKey[]>
  /** Counts the log-outs that wait after a failed attempt, and those that were given up since the given time. */
  countLogOuts: (givenUpSince: number) => Promise<{ retried: number; givenUp: number }>
}

export interface SystemCheck {
  name: string
  status: 'ok' | 'warning' | 'failed'
  message: string
}

interface SigningKey {
  id: string
  state: 'next' | 'signing' | 'old' | 'retired' | 'withdrawn'
  activeAt: number
  retiresAt: number | null
}
