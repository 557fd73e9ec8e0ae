import type { ReactNode } from 'react'

export function ActionRow({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <li className="row">
      <div className="row-text">
        <p>{title}</p>
        <p className="soft">{text}</p>
      </div>
      {children}
    </li>
  )
}
