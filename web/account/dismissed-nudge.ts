const keyOf = (userId: string) => `passkey nudge dismissed by ${userId}`

export function isNudgeDismissed(userId: string): boolean {
  return localStorage.getItem(keyOf(userId)) !== null
}

export function rememberNudgeDismissed(userId: string): void {
  localStorage.setItem(keyOf(userId), new Date().toISOString())
}
