import type { ReactNode } from 'react'

type RemovalQuestionProps = {
  organizationName: string
  revokesKeys: boolean
  onRevokesKeys: (revokesKeys: boolean) => void
  children: ReactNode
}

/** Says what ends with a membership, and asks about the API keys. */
export function RemovalQuestion({ organizationName, revokesKeys, onRevokesKeys, children }: RemovalQuestionProps) {
  return (
    <>
      <span>
        {children} Access to {organizationName} ends at once; tokens that services already have expire within 15
        minutes. Open invitations from a removed member stop working until they are sent again. The account stays.
      </span>
      <label className="checkbox">
        <input type="checkbox" checked={revokesKeys} onChange={({ target }) => onRevokesKeys(target.checked)} />
        <span>
          Also delete API keys made by a removed member
          <span className="soft">Programs that use them stop.</span>
        </span>
      </label>
    </>
  )
}
