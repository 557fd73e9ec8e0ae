/** Functions of other parts of the service, passed in because features do not import each other. */
export interface SystemParts {
  version: string
  /** Epoch milliseconds. */
  startedAt: number
  runChecks: () => Promise<SystemCheck[]>
  listSigningKeys: () => Promise<SigningKey[]>
  /** Log-outs at clients: waiting after an attempt, and given up since a time. */
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
