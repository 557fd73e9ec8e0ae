type Signals = {
  signalAllAcceptedCredentials?: (accepted: {
    rpId: string
    userId: string
    allAcceptedCredentialIds: string[]
  }) => Promise<void>
}

/**
 * Tells the authenticators which passkeys of a user work, so that they no longer offer removed ones (WebAuthn Level 3,
 * section 5.1.10). Not every browser can.
 */
export async function signalPasskeys(rpId: string, userId: string, credentialIds: string[]): Promise<void> {
  const { signalAllAcceptedCredentials }: Signals = globalThis.PublicKeyCredential ?? {}
  const accepted = { rpId, userId: toBase64Url(userId), allAcceptedCredentialIds: credentialIds }
  await signalAllAcceptedCredentials?.call(PublicKeyCredential, accepted).catch(() => {})
}

/** User ids are ASCII. */
function toBase64Url(text: string): string {
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
