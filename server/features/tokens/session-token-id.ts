import { hashToken, newToken, type Randomness } from '../../platform/crypto/tokens.ts'

/**
 * The `jti` of a token of a session tells this service which session it is. Other services can't compare two of them: they
 * must not recognize a browser.
 */
export function newSessionTokenId(randomness: Pick<Randomness, 'randomBytes'>, sessionId: string): string {
  return idOf(newToken(randomness), sessionId)
}

/** True also for a token of the previous version, which does not name its session. */
export function canBeOfSession(tokenId: string, sessionId: string): boolean {
  const [random = '', ...mark] = tokenId.split('~')
  return mark.length === 0 || tokenId === idOf(random, sessionId)
}

function idOf(random: string, sessionId: string): string {
  return `${random}~${hashToken(`${random} ${sessionId}`)}`
}
