/** Functions of other parts of the service, passed in because features do not import each other. */
export interface SystemParts {
  version: string
  /** Epoch milliseconds. */
  startedAt: number
  runChecks: () => Promise<SystemCheck[]>
  listSigningKeys: () => Promise<SigningKey[]>
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
