def half(:
