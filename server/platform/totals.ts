export const TOTALS = {
  accounts_tokens_minted_total: { help: 'Signed tokens, by the slug of their organization', label: 'organization' },
  accounts_oauth_grants_total: {
    help: 'Responses of the token endpoint with tokens, by grant type',
    label: 'grant_type',
  },
  accounts_oauth_refusals_total: { help: 'Responses of the token endpoint without tokens, by error', label: 'error' },
  accounts_email_attempts_total: {
    help: 'Attempts to send an email: sent, refused, deferred, postponed, unclear (a refusal that may concern us, or no response), unavailable (the mail server refuses us), unreadable or unknown secret',
    label: 'outcome',
  },
  accounts_logout_attempts_total: {
    help: 'Attempts to deliver a back-channel log-out: delivered, refused, unavailable (the client does not respond, or with 429 or 5xx), given up, postponed (no token can be signed) or dropped (the client wants it no more)',
    label: 'outcome',
  },
} as const

export type TotalName = keyof typeof TOTALS

/** Each slug is a label, and an owner can rename an organization any number of times. */
export const LABELS_MAXIMUM = 10_000
/** The label that counts all further labels. It can't be a slug, because slugs have no parentheses. */
const OTHERS = '(others)'

export interface Totals {
  increment(name: TotalName, label: string, count?: number): void
  entries(name: TotalName): Iterable<[label: string, count: number]>
}

export function createTotals(): Totals {
  const counts = new Map<TotalName, Map<string, number>>()
  const ofName = (name: TotalName): Map<string, number> => {
    const known = counts.get(name) ?? new Map<string, number>()
    counts.set(name, known)
    return known
  }
  return {
    increment(name, label, count = 1) {
      const labels = ofName(name)
      const counted = labels.has(label) || labels.size < LABELS_MAXIMUM ? label : OTHERS
      labels.set(counted, (labels.get(counted) ?? 0) + count)
    },
    entries: (name) => ofName(name),
  }
}
