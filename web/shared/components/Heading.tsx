import { type ReactNode, useEffect, useRef } from 'react'
import { useImpersonatedName } from '../api/impersonation.ts'
import { brandName } from '../brand.ts'
import { isolated } from '../format/isolated.ts'

type HeadingProps = { title?: string; children: ReactNode }

let isFirstPage = true

/**
 * The heading of a page and the title of the document. It takes the focus on every page after the first, so a screen reader
 * reads the new page.
 */
export function Heading({ title, children }: HeadingProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  const isNew = useRef(true)
  const text = String(children)
  const impersonatedName = useImpersonatedName()
  const prefix = impersonatedName === null ? '' : `Impersonating ${isolated(impersonatedName)} · `
  const name = `${prefix}${title ?? text} · ${brandName}`

  useEffect(() => {
    document.title = name
  }, [name])

  // biome-ignore lint/correctness/useExhaustiveDependencies: another heading is another page
  useEffect(() => {
    // The name of a user may load later. It takes the focus from no control.
    const mayTakeFocus = isNew.current || document.activeElement === document.body
    if (!isFirstPage && mayTakeFocus) heading.current?.focus({ preventScroll: true })
    isFirstPage = false
    isNew.current = false
  }, [text])

  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  )
}
