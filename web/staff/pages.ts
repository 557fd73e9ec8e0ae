import { Staff } from './Staff.tsx'
import { User } from './User.tsx'
import { Users } from './Users.tsx'

export const pages = { Staff, User, Users }
