let hasResumed = false

/** Leaves for the app, once: the address works a single time. The page leaves the history, because it has done its work. */
export function resume(url: string): void {
  if (hasResumed) return
  hasResumed = true
  location.replace(url)
}
