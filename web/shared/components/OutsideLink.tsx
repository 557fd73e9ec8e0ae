import type { ReactNode } from 'react'

interface OutsideLinkProps {
  href: string
  /** For an address that anyone may have entered (RFC 7591, section 5). */
  isHostShown?: boolean
  children: ReactNode
}

/** Opens in a new tab, so that this page stays. */
export function OutsideLink({ href, isHostShown = false, children }: OutsideLinkProps) {
  return (
    <a href={href} target="_blank" rel="noreferrer">
      {children}
      {isHostShown && ` (${new URL(href).host})`}
      <span className="visually-hidden"> (in a new tab)</span>
    </a>
  )
}
