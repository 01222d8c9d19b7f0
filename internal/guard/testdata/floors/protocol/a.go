package protocol

import _ "strings"
