import type { ReactNode } from 'react'
import { EmptyState } from '../../shared/components/EmptyState.tsx'
import { useIsAdministrator } from './use-is-administrator.ts'

type AdministratorsOnlyProps = { what: string; children: ReactNode }

/** Content for administrators. Support staff see a sentence that says what the content is, and who may see it. */
export function AdministratorsOnly({ what, children }: AdministratorsOnlyProps) {
  if (useIsAdministrator()) return children
  return (
    <EmptyState title={`Only administrators see ${what}`}>
      <p className="soft">Your role is support. Ask an administrator to look, or to change your role.</p>
    </EmptyState>
  )
}
