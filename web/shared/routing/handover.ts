/** Data for the next page. The history stores it, so a reload keeps it. */
export type Handover = {
  /** Sign-in returns to this page. */
  returnTo?: string
  notice?: string
  /** The email address that the user typed before. */
  email?: string
}

export function handover(): Handover {
  return history.state ?? {}
}
