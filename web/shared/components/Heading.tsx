import { type ReactNode, useEffect, useRef } from 'react'

type HeadingProps = { title?: string; children: ReactNode }

let isFirstPage = true

/**
 * The one heading of a page; it names the browser's tab as well. On each page after the first it takes the focus, so
 * that a screen reader says that the page has changed.
 */
export function Heading({ title, children }: HeadingProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  const name = title ?? String(children)

  useEffect(() => {
    document.title = `${name} · Accounts`
    if (!isFirstPage) heading.current?.focus({ preventScroll: true })
    isFirstPage = false
  }, [name])

  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  )
}
