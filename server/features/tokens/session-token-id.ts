import { hashToken, newToken, type Randomness } from '../../platform/crypto/tokens.ts'

/** Only this service can tell the session of a `jti`, so that other services can't track a browser by it. */
export function newSessionTokenId(randomness: Pick<Randomness, 'randomBytes'>, sessionId: string): string {
  return idOf(newToken(randomness), sessionId)
}

/** Also true for a token of the previous version, whose id does not name a session. */
export function canBeOfSession(tokenId: string, sessionId: string): boolean {
  const [random = '', ...mark] = tokenId.split('~')
  return mark.length === 0 || tokenId === idOf(random, sessionId)
}

function idOf(random: string, sessionId: string): string {
  return `${random}~${hashToken(`${random} ${sessionId}`)}`
}
