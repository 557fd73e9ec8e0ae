import type { ReactNode } from 'react'

type EmptyStateProps = { title: string; children?: ReactNode }

/** Says that a list is empty, why, and what to do next. */
export function EmptyState({ title, children }: EmptyStateProps) {
  return (
    <div className="empty-state">
      <p>
        <strong>{title}</strong>
      </p>
      {children}
    </div>
  )
}
