const keyOf = (userId: string) => `passkey nudge dismissed by ${userId}`

/** A browser that refuses storage shows the nudge again. */
export function isNudgeDismissed(userId: string): boolean {
  try {
    return localStorage.getItem(keyOf(userId)) !== null
  } catch {
    return false
  }
}

export function rememberNudgeDismissed(userId: string): void {
  try {
    localStorage.setItem(keyOf(userId), new Date().toISOString())
  } catch {
    // The card is closed for this page only.
  }
}
