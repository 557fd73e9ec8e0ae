import { Invitation } from './Invitation.tsx'

export const pages = { Invitation }
