import type { ReactNode } from 'react'

/** A long email address has a new line after its @ rather than within a word. */
export function breakAfterAt(content: ReactNode): ReactNode {
  if (typeof content !== 'string' || !content.includes('@')) return content
  const at = content.lastIndexOf('@') + 1
  return (
    <>
      {content.slice(0, at)}
      <wbr />
      {content.slice(at)}
    </>
  )
}
