import type { ReactNode } from 'react'

/** Opens in a new tab, so that this page stays. */
export function OutsideLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <a href={href} target="_blank" rel="noreferrer">
      {children}
      <span className="visually-hidden"> (in a new tab)</span>
    </a>
  )
}
