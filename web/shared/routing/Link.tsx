import type { MouseEvent, ReactNode } from 'react'
import { goTo, usePath } from './navigation.ts'
import { withNext } from './next-origin.ts'

type LinkProps = { to: string; className?: string; children: ReactNode }

/** An ordinary link that changes the page without loading it anew, and takes `next` along. */
export function Link({ to, className, children }: LinkProps) {
  const isCurrent = usePath() === to
  return (
    <a
      href={withNext(to)}
      className={className}
      aria-current={isCurrent ? 'page' : undefined}
      onClick={(event) => follow(event, to)}
    >
      {children}
    </a>
  )
}

function follow(event: MouseEvent, to: string): void {
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0) return
  event.preventDefault()
  goTo(to)
}
